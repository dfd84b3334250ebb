"""How the project is built, deployed to AWS and run on one machine; nothing in here is part of the deployed code."""
