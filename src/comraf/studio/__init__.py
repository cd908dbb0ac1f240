"""The studio: a local page to look into groups, question them and steer them.

`comraf.studio.server.Studio` runs it; nothing here decides anything: it shows what
`comraf.workflows.project.Project` has, and passes on what a person says.
"""
