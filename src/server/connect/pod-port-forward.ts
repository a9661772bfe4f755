import { encodeUtf8, errors, onAbort } from '../../foundation/index.js';
import type { WebSocketAnswer } from '../requests/http.js';
import { Channels, selectProtocol } from './channels.js';
import type { Connection } from './connection.js';
import { forwardPort, portOf, TunnelledPorts, type ForwardedPod } from './forwarded-ports.js';
import type { PodRequest } from './pod-request.js';
import { requireNode, withoutHandler } from './pod-target.js';
import { HeaderReader } from './spdy/header-blocks.js';
import { SpdySession } from './spdy/spdy-session.js';

/** Maximum number of ports of one connection: each has two channels, and a channel has one digit in base64. */
const MAX_PORTS = 64;

/** Parses the ports that a client wants. @throws ApiError 400 */
function parsePorts(query: URLSearchParams): number[] {
  const ports = query
    .getAll('ports')
    .flatMap((value) => value.split(','))
    .filter((text) => text !== '')
    .map(portOf);
  if (ports.length === 0) throw errors.badRequest('query parameter "ports" is required');
  if (ports.length > MAX_PORTS) throw errors.badRequest(`at most ${MAX_PORTS} ports may be forwarded at once`);
  return ports;
}

/** Two bytes of a port, the low one first: the first message of each of its channels. */
const portBytes = (port: number): Uint8Array => Uint8Array.of(port & 0xff, port >> 8);

/** Serves one port: its data channel, and its error channel, which has the next number. */
async function servePort(channels: Channels, pod: ForwardedPod, port: number, channel: number): Promise<void> {
  const data = channels.input(channel);
  void channels.write(channel, portBytes(port));
  void channels.write(channel + 1, portBytes(port));
  await forwardPort(pod, port, {
    data,
    write: (chunk) => channels.write(channel, chunk),
    fail: (message) => channels.write(channel + 1, message),
  });
  // Data that the handler has not read must not keep the other ports waiting.
  await data.return();
}

/** Answers `pods/portforward`: the handler serves every connection to a port. */
export function podPortForward(request: PodRequest, connection: Connection): WebSocketAnswer {
  const { pod, user } = request;
  const handler = connection.handlers.pods?.portForward;
  if (handler === undefined) {
    requireNode(pod);
    throw withoutHandler('pods/portforward', 'pods.portForward');
  }
  const forwarded: ForwardedPod = { pod, user, handler, connection };
  return tunnelOf(request, forwarded) ?? channelsOf(request, forwarded);
}

function channelsOf({ query, offered, dialect }: PodRequest, forwarded: ForwardedPod): WebSocketAnswer {
  const ports = parsePorts(query);
  const protocol = selectProtocol(offered, dialect);
  const channels = new Channels(protocol, forwarded.connection.memory);
  const served = ports.map((port, index) => servePort(channels, forwarded, port, index * 2));
  void Promise.all(served).then(() => channels.close());
  return {
    protocol: protocol.name,
    messages: channels.messages,
    receive: (message) => channels.receive(message),
    closed: () => channels.close(),
  };
}

/**
 * Returns the answer to a client that opens a connection of SPDY through the WebSocket, as kubectl does since 1.31: it
 * opens connections to ports as long as it likes. Undefined when the client does not offer that.
 */
function tunnelOf({ offered, dialect }: PodRequest, forwarded: ForwardedPod): WebSocketAnswer | undefined {
  const protocol = `SPDY/3.1+portforward.${dialect.groupSuffix}`;
  if (!offered.split(',').some((name) => name.trim() === protocol)) return undefined;
  const headers = HeaderReader.create();
  if (headers === undefined) return undefined;
  const ports = new TunnelledPorts(forwarded);
  const session = new SpdySession(
    headers,
    (stream, headers) => ports.take(stream, headers),
    forwarded.connection.memory,
  );
  const stop = onAbort(forwarded.connection.signal, () => session.close());
  return {
    protocol,
    messages: session.messages,
    receive: (message) => session.receive(typeof message === 'string' ? encodeUtf8(message) : message),
    closed: () => {
      stop();
      session.close();
    },
  };
}
