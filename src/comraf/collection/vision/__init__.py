"""What can be seen in photos, counted: colours, texture, regions and blobs."""
