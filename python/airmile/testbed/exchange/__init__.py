"""Requests and answers over kept connections: HTTP/1.1 and HTTP/2, plain or under TLS.

Both ends write down which bytes of the TCP stream were a request or an answer, and when the
application wrote or read them. A capture anywhere on the way then shows when each of them passed.
"""
