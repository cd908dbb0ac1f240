"""Readers of documents, one file a format; `comraf.collection.KINDS` names them all."""
