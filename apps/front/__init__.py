"""How requests and answers cross the wire: the HTTP protocol, the bridge to Django, sizes, compression."""
