import type { IncomingMessage, Server as HttpServer } from 'node:http';
import type { Http2SecureServer } from 'node:http2';
import type { Duplex } from 'node:stream';

/**
 * Serves a request that asks for an upgrade other than WebSocket as if it had not asked (RFC 9110 section 7.8). The JDK's
 * HTTP client offers `h2c` on every first request in the clear, and must get its answer.
 *
 * Node has let go of the connection by now, so the request's head goes back onto it without the offer, and the
 * connection to the server as a new one.
 */
export function resumeAsPlainRequest(
  server: HttpServer | Http2SecureServer,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  socket.unshift(Buffer.concat([Buffer.from(headWithoutUpgrade(request), 'latin1'), head]));
  server.emit('updateSettings' in server ? 'secureConnection' : 'connection', socket);
}

/** Fields that make an offer, or name those that do. */
const OFFER_FIELDS = new Set(['connection', 'upgrade', 'http2-settings']);

function headWithoutUpgrade(request: IncomingMessage): string {
  let head = `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n`;
  const raw = request.rawHeaders;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (!OFFER_FIELDS.has((raw[at] as string).toLowerCase())) head += `${raw[at]}: ${raw[at + 1]}\r\n`;
  }
  return head + '\r\n';
}
