"""What pages of saves show: buttons, rows, lists, the choice of lists."""
