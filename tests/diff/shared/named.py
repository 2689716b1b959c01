"""A module that tells its own name and file."""
name, file = __name__, __file__.split("/")[-1]
main = __name__ == "__main__"
