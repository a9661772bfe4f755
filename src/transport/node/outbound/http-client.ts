import {
  BodyPieces,
  aBoolean,
  aClock,
  aCount,
  aFunction,
  aPositiveDuration,
  checkOptions,
  checkRequest,
  durationMs,
  readWhole,
  systemClock,
  type CheckedRequest,
  type Clock,
  type Duration,
  type OptionChecks,
  type OutboundSocket,
  type OutboundStream,
  type OutboundTunnel,
  type SocketRequest,
  type StreamedRequest,
  type StreamingHttpClient,
} from '../../../foundation/index.js';
import { AgentPool } from './agent-pool.js';
import { sendHttp1, StaleConnection } from './http1.js';
import { Http2Sessions } from './http2-sessions.js';
import { sendHttp2, UnprocessedStream } from './http2.js';
import { ResponseTurns } from './response-turns.js';

type UpgradeRequest = Parameters<NonNullable<StreamingHttpClient['upgrade']>>[0];

/** Options of {@link nodeHttpClient}. */
export interface NodeHttpClientOptions {
  /** Maximum number of connections to a host with the same TLS options; further requests wait. Default 16. */
  readonly maxSockets?: number | undefined;
  /** Maximum number of agents, one for each set of TLS options; the least recently used one is dropped. Default 64. */
  readonly maxAgents?: number | undefined;
  /** How long an idle connection is kept. Default `60s`. */
  readonly idle?: Duration | undefined;
  /** Whether servers that speak HTTP/2 over TLS are asked in it. Default false. */
  readonly http2?: boolean | undefined;
  /** Returns the proxy for a URL; undefined for a direct connection. Default none. */
  readonly proxy?: ((url: URL) => URL | undefined) | undefined;
  /** Clock of the pings of HTTP/2 connections. Default the host's. */
  readonly clock?: Clock | undefined;
}

const checks: OptionChecks<NodeHttpClientOptions> = {
  maxSockets: aCount('connections', 1),
  maxAgents: aCount('agents', 1),
  idle: aPositiveDuration,
  http2: aBoolean,
  proxy: aFunction,
  clock: aClock,
};

/** An HTTP client with a connection pool. */
export interface NodeHttpClient extends StreamingHttpClient {
  /** Closes all connections; requests in flight fail. Idle connections also close after their timeout. */
  close(): void;
}

/**
 * Creates a client over Node's http, https and http2, with features that `fetch` lacks: custom certificate authorities,
 * client certificates, server names, and proxies. Connections are pooled per set of TLS options. Idle connections do not
 * keep the process alive.
 *
 * @throws TypeError that names an invalid option
 */
export function nodeHttpClient(options: NodeHttpClientOptions = {}): NodeHttpClient {
  checkOptions('nodeHttpClient', options, checks);
  const { http2 = false, proxy, clock = systemClock, maxSockets = 16, maxAgents = 64, idle = '60s' } = options;
  const idleMs = Math.ceil(durationMs(idle));
  const agents = new AgentPool({ maxSockets, maxAgents, idleMs }, proxy);
  const turns = new ResponseTurns();
  const sessions = http2 ? new Http2Sessions({ clock, idleMs, maxServers: maxAgents, proxy }) : undefined;
  const open = async (request: StreamedRequest, checked: CheckedRequest): Promise<OutboundStream> => {
    const secure = checked.url.protocol === 'https:';
    const response = secure && sessions !== undefined ? await overHttp2(request, checked, sessions) : undefined;
    return response ?? overHttp1(request, checked, agents, turns);
  };
  return Object.assign(
    async (request: Parameters<StreamingHttpClient>[0]) => {
      const checked = checkRequest(request);
      return readWhole(checked, await open(request, checked), request, new BodyPieces());
    },
    {
      stream: async (request: StreamedRequest) => open(request, checkRequest(request)),
      webSocket: (request: SocketRequest) => openSocket(request, agents, clock),
      upgrade: (request: UpgradeRequest) => openUpgraded(request, agents),
      close: () => {
        agents.close();
        sessions?.close();
      },
    },
  );
}

async function openSocket(
  request: SocketRequest,
  agents: AgentPool,
  clock: Clock,
): Promise<OutboundSocket | OutboundStream> {
  const checked = checkRequest(request);
  const lease = agents.lease(checked, request.tls ?? {}, true);
  try {
    const { openWebSocket } = await import('./web-socket.js');
    return await openWebSocket(request, checked, lease, clock);
  } finally {
    lease.release();
  }
}

async function openUpgraded(request: UpgradeRequest, agents: AgentPool): Promise<OutboundTunnel | OutboundStream> {
  const checked = checkRequest(request);
  const lease = agents.lease(checked, request.tls ?? {}, true);
  try {
    const { sendUpgrade } = await import('./upgrade.js');
    return await sendUpgrade(request, checked, lease);
  } finally {
    lease.release();
  }
}

async function overHttp1(
  request: StreamedRequest,
  checked: CheckedRequest,
  agents: AgentPool,
  turns: ResponseTurns,
): Promise<OutboundStream> {
  const lease = agents.lease(checked, request.tls ?? {}, request.lasting === true);
  try {
    return await sendHttp1(request, checked, lease, turns);
  } catch (error) {
    if (error instanceof StaleConnection) return await sendHttp1(request, checked, lease, turns);
    throw error;
  } finally {
    lease.release();
  }
}

/** @returns undefined for a server that does not speak HTTP/2 */
async function overHttp2(
  request: StreamedRequest,
  checked: CheckedRequest,
  sessions: Http2Sessions,
): Promise<OutboundStream | undefined> {
  for (let isFirst = true; ; isFirst = false) {
    const session = await sessions.find(checked, request);
    try {
      return session === undefined ? undefined : await sendHttp2(request, checked, session);
    } catch (error) {
      // The server has not looked at the request: it was closing the connection.
      if (!(error instanceof UnprocessedStream)) throw error;
      if (!isFirst) throw error.reason;
    }
  }
}
