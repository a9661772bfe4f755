/**
 * A connection that ends before the client has the answer. A client cannot tell whether the server handled the request.
 */
export class ConnectionLostError extends Error {
  /** The code of Node's sockets for a connection that the other side has reset. */
  readonly code = 'ECONNRESET';

  constructor(message = 'the connection to the server was lost', options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConnectionLostError';
  }
}
