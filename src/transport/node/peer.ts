import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { Peer, PeerCertificate } from '../../server/index.js';

/** A request of either HTTP version. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** A response of either HTTP version. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** Names the client of a request before its user is known: by its credential, or by its address. */
export const clientOf = ({ headers, socket }: NodeRequest): string =>
  headers.authorization ?? socket.remoteAddress ?? '';

/**
 * Certificates by connection, cached because they do not change and reading one allocates many objects. `null` means no
 * certificate.
 */
const certificates = new WeakMap<TLSSocket, PeerCertificate | null>();

/** The peer of a request. Reads from the socket on demand. */
export class NodePeer implements Peer {
  readonly #request: NodeRequest;

  constructor(request: NodeRequest) {
    this.#request = request;
  }

  get address(): string | undefined {
    return this.#socket()?.remoteAddress;
  }

  get tls(): boolean {
    const socket = this.#socket();
    return socket !== undefined && isTls(socket);
  }

  /** Returns the client certificate; undefined without one or without TLS. */
  certificate(): PeerCertificate | undefined {
    const socket = this.#socket();
    if (socket === undefined || !isTls(socket)) return undefined;
    let certificate = certificates.get(socket);
    if (certificate === undefined) {
      certificate = readCertificate(socket);
      certificates.set(socket, certificate);
    }
    return certificate ?? undefined;
  }

  #socket(): Socket | TLSSocket | undefined {
    // HTTP/2 creates a compatibility socket per stream; the session has one socket per connection.
    if ('stream' in this.#request) return this.#request.stream.session?.socket;
    return this.#request.socket;
  }
}

function isTls(socket: Socket | TLSSocket): socket is TLSSocket {
  return 'encrypted' in socket && socket.encrypted;
}

function readCertificate(socket: TLSSocket): PeerCertificate | null {
  // Typed as always present, but Node returns null or an empty object without a client certificate.
  let link: Partial<DetailedPeerCertificate> | null | undefined = socket.getPeerCertificate(true);
  const chain: Uint8Array[] = [];
  const seen = new Set<unknown>();
  while (link?.raw !== undefined && !seen.has(link)) {
    chain.push(link.raw);
    seen.add(link);
    // A self-signed certificate is its own issuer.
    link = link.issuerCertificate;
  }
  return chain.length === 0 ? null : { chain, authorized: socket.authorized };
}
