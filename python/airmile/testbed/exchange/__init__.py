"""Requests and answers over persistent connections: HTTP/1.1 and HTTP/2, plain or under TLS.

The client and the server write down which bytes of the TCP stream were a request or an answer, and
when the application wrote or read them. A capture at any point between them then shows when each
request and each answer passed.
"""
