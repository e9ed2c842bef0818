"""`make campaign`: random faults on whole sites while people buy, judged by what the people were told."""
