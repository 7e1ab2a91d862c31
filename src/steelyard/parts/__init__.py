"""What methods are built from: parts of a dialogue that several of them share."""
