"""Small mistakes put into the code, one at a time: do the tests of the room notice them?"""
