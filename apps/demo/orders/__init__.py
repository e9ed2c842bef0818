"""What the people of the demo city bought in the last weeks, and how they paid."""
