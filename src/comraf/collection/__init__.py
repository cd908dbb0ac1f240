"""What the user has, as tables of counts: files of many formats, and a sample mailbox.

Import from the modules below this one; nothing is loaded until it is needed.

Examples
--------
>>> from comraf.collection.readers import read_table
>>> read_table("nowhere.npz")
Traceback (most recent call last):
...
comraf.errors.ReadError: nowhere.npz: there is no such file
"""

from __future__ import annotations
