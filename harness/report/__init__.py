"""What recordings hold, told to people (text) and to programs (plain data). Built from records; nothing here prints."""
