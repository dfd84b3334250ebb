"""The package for AWS: template and zip (`python -m infra.aws`)."""
