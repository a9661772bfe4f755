import { silentLogger, systemClock } from '../../foundation/index.js';
import type { Handler } from '../../server/index.js';
import { importListen } from '../../transport/late-node.js';
import { commandHandler } from '../control/control-api.js';
import type { ControlledServer } from '../control/controlled-server.js';
import { controlledTestServer } from '../control/controlled-test-server.js';
import { pageCommands } from '../control/page-commands.js';
import { ControlledServers, type ServedPort } from '../control/served-servers.js';
import type { TestServerOptions } from './test-options.js';
import type { TestServer } from './test-server.js';

/** Maximum number of forks that the page makes. */
const MAX_FORKS = 16;
/** Time that a fork of the page has to end, in milliseconds. */
const CLOSE_MS = 5000;

/** The page of a test server, on a port. */
export interface OpenedPage {
  readonly url: string;
  /** Forgets the rules that were added on it: the server has gone back to a former state. */
  forget(): void;
  /** Closes the port, and the forks that the page has made. */
  close(): Promise<void>;
}

/** Opens the page of a test server on a free port, with its commands. */
export async function openPage(test: TestServer, options: TestServerOptions): Promise<OpenedPage> {
  const { listen } = await importListen();
  const { observability: { logger = silentLogger } = {}, authentication, simulate = false } = options;
  const commands: Handler = (request) => commandHandler({ servers, logger })(request);
  const open = async ({ target }: ControlledServer, id: string): Promise<ServedPort> => {
    // Without `listening`: that somebody looks at the server changes no object in it.
    const { handle, handleWebSocket, page } = target;
    const listener = await listen(
      { handle, handleWebSocket, page },
      { port: 0, ui: { test: pageCommands(commands, id) } },
    );
    return { url: listener.url, certificateAuthority: undefined, close: () => listener.close({ grace: 0 }) };
  };
  const controlled = controlledTestServer(test, {
    // The page shows no credentials.
    ownerToken: authentication?.ownerToken ?? '',
    runningClock: undefined,
    simulates: simulate !== false,
  });
  const servers: ControlledServers = await ControlledServers.start(
    // The test closes its server itself.
    { ...controlled, close: () => Promise.resolve() },
    { open, maxForks: MAX_FORKS, closeMs: CLOSE_MS, clock: systemClock, logger, controlUrl: () => '' },
  );
  const { port, faults, rules } = servers.main;
  return {
    url: port.url,
    forget() {
      faults.forget();
      rules.forget();
    },
    close: () => servers.close(),
  };
}
