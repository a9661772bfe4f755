import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The beginnings of requests of HTTP without TLS that are recognized, as in Go (net/http, `tlsRecordHeaderLooksLikeHTTP`). */
const BEGINNINGS = new Set(['GET /', 'HEAD ', 'POST ', 'PUT /', 'OPTIO']);
const BEGINNING_LENGTH = 5;

/** The answer of Go, and so of Kubernetes, to HTTP on a port with TLS. */
const ANSWER = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** A client speaks HTTP without TLS on a port with TLS. */
export class PlainHttpError extends Error {
  constructor() {
    super('client sent an HTTP request to an HTTPS server');
  }
}

/** Returns whether a client that has sent something on a port with TLS speaks HTTP without it. Nothing is taken from the socket. */
export function speaksPlainHttp(socket: Socket): boolean {
  if (socket.readableLength < BEGINNING_LENGTH) return false;
  const beginning: unknown = socket.read(BEGINNING_LENGTH);
  if (!Buffer.isBuffer(beginning)) return false;
  socket.unshift(beginning);
  return BEGINNINGS.has(beginning.toString('latin1'));
}

/**
 * Answers a client that speaks HTTP without TLS, and ends the connection. What it still sends is discarded: a connection that
 * closes with unread bytes is reset, and the client would lose the answer.
 */
export function answerPlainHttp(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.end(ANSWER);
}
