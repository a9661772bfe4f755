import { errors } from '../../foundation/index.js';
import type { StoredPod } from '../../kinds/index.js';
import type { ResourceCall } from '../endpoints/call.js';
import type { WebSocketAnswer } from '../requests/http.js';
import { Channels, selectProtocol } from './channels.js';
import { answerOf, type Connection } from './connection.js';
import type { PodHandlers } from './handlers.js';
import { requireNode, targetOf, withoutHandler } from './pod-target.js';

/** Maximum number of ports of one connection: each has two channels, and a channel has one digit in base64. */
const MAX_PORTS = 64;

/** Parses the ports that a client wants. @throws ApiError 400 */
function parsePorts(query: URLSearchParams): number[] {
  const texts = query
    .getAll('ports')
    .flatMap((value) => value.split(','))
    .filter((text) => text !== '');
  const ports = texts.map((text) => {
    const port = Number(text);
    if (!/^[0-9]+$/.test(text) || port < 1 || port > 65535)
      throw errors.badRequest(`invalid port ${JSON.stringify(text)}`);
    return port;
  });
  if (ports.length === 0) throw errors.badRequest('query parameter "ports" is required');
  if (ports.length > MAX_PORTS) throw errors.badRequest(`at most ${MAX_PORTS} ports may be forwarded at once`);
  return ports;
}

type Handler = NonNullable<PodHandlers['portForward']>;

/** Two bytes of a port, the low one first: the first message of each of its channels. */
const portBytes = (port: number): Uint8Array => Uint8Array.of(port & 0xff, port >> 8);

/** Serves one port: its data channel, and its error channel, which has the next number. */
async function servePort(
  channels: Channels,
  connection: Connection,
  { pod, port, channel, handler }: { pod: StoredPod; port: number; channel: number; handler: Handler },
  user: ResourceCall['scope']['user'],
): Promise<void> {
  const data = channels.input(channel);
  void channels.write(channel, portBytes(port));
  void channels.write(channel + 1, portBytes(port));
  try {
    await answerOf(connection, () =>
      handler(pod, {
        ...{ port, user, data, signal: connection.signal },
        write: (chunk) => channels.write(channel, chunk),
      }),
    );
  } catch (error) {
    if (connection.signal.aborted) return;
    connection.logger.error('the handler of a pod failed', { error });
    await channels.write(channel + 1, `error forwarding port ${port} to pod ${pod.metadata.name ?? ''}`);
  }
}

/** Answers `pods/portforward` over a WebSocket: every port is served by the handler. */
export async function podPortForward(call: ResourceCall, connection: Connection): Promise<WebSocketAnswer> {
  const { scope, responder } = call;
  const pod = await targetOf(call);
  const handler = connection.handlers.pods?.portForward;
  if (handler === undefined) {
    requireNode(pod);
    throw withoutHandler('pods/portforward', 'pods.portForward');
  }
  const ports = parsePorts(scope.query);
  const protocol = selectProtocol(scope.request.headers.get('sec-websocket-protocol') ?? '', responder.dialect);
  const channels = new Channels(protocol);
  const served = ports.map((port, index) =>
    servePort(channels, connection, { pod, port, channel: index * 2, handler }, scope.user),
  );
  void Promise.all(served).then(() => channels.close());
  return {
    protocol: protocol.name,
    messages: channels.messages,
    receive: (message) => channels.receive(message),
    closed: () => channels.close(),
  };
}
