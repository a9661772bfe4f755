import type { JsonObject } from '../../../src/foundation/json/json.js';
import { controlHandler } from '../../../src/testing/control/control-api.js';
import type { ControlledServer } from '../../../src/testing/control/controlled-server.js';
import { ControlledServers, type ServedPort } from '../../../src/testing/control/served-servers.js';
import { createManualClock, type ManualClock } from '../../../src/testing/time/manual-clock.js';
import { toFetchHandler } from '../../../src/transport/fetch/fetch.js';

export const TOKEN = 'control-token';
export const CONTROL_URL = 'http://control.invalid';

/** An answer of the control API. */
export interface Answer {
  readonly code: number;
  readonly body: JsonObject;
}

/** A control API without a socket. */
export interface Control {
  readonly servers: ControlledServers;
  /** The clock of the host. */
  readonly clock: ManualClock;
  /** Sends a command. A text is sent as it is, other bodies as JSON. */
  readonly call: (
    method: string,
    path: string,
    body?: string | object,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>;
  /** The ports that are open, in the order of their opening. */
  readonly ports: readonly string[];
  /** Messages of the log's errors. */
  readonly logged: readonly string[];
}

/** Starts the control API of a server. @param open opens a port; by default a name for it */
export async function control(
  server: ControlledServer,
  { maxForks = 10, open }: { readonly maxForks?: number; readonly open?: () => Promise<ServedPort> } = {},
): Promise<Control> {
  const ports: string[] = [];
  let opened = 0;
  const port = async (): Promise<ServedPort> => {
    const url = `https://port-${(opened += 1)}.invalid`;
    ports.push(url);
    return {
      url,
      certificateAuthority: undefined,
      close: async () => void ports.splice(ports.indexOf(url), 1),
    };
  };
  const logged: string[] = [];
  const logger = { info: () => undefined, error: (message: string) => void logged.push(message) };
  const clock = createManualClock();
  const servers = await ControlledServers.start(server, {
    open: open ?? port,
    maxForks,
    closeMs: 5000,
    clock,
    logger,
    controlUrl: () => CONTROL_URL,
  });
  const handle = controlHandler({
    servers,
    token: TOKEN,
    version: '1.2.3',
    logger,
  });
  const send = toFetchHandler({ handle });
  return {
    servers,
    clock,
    ports,
    logged,
    async call(method, path, body, headers = { authorization: `Bearer ${TOKEN}` }) {
      const answer = await send(
        new Request(CONTROL_URL + path, {
          method,
          headers,
          ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
      );
      return { code: answer.status, body: (await answer.json()) as JsonObject };
    },
  };
}
