def write(study):
    pass
