import { openState, readState, type OpenedState } from '../../testing/index.js';
import type { Logger } from '../../foundation/index.js';
import { commonFlags, defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import { bool } from '../flags/kinds.js';
import type { Host } from '../host.js';
import { reasonOf } from '../serve/files.js';
import { openListener } from '../serve/listeners.js';
import { loggerOf } from '../serve/telemetry/log-format.js';
import { awaitTermination } from '../serve/termination.js';
import { testServerFlags } from '../test-server/flags.js';
import { StartError, UsageError } from '../usage-error.js';

/** The flags of `open`. */
export const openFlags = {
  port: { ...testServerFlags.port, help: 'Port of the page (HTTP) on 127.0.0.1; auto for any free port.' },
  writable: bool(
    false,
    'Lets the page change objects. The file stays as it is: what changes is gone when the program ends.',
  ),
  'log-format': testServerFlags['log-format'],
  v: testServerFlags.v,
  ...commonFlags,
};

type Values = FlagValues<typeof openFlags>;

/** The command `open`: shows the state in which a test failed. */
export const open = defineCommand({
  name: 'open',
  summary: 'Shows a state that a failed test has saved in the page: its objects, their past, and the requests.',
  operands: 'FILE',
  flags: openFlags,
  run,
});

async function run(values: Values, host: Host, operands: readonly string[]): Promise<number> {
  const [path = '', ...more] = operands;
  if (path === '' || more.length > 0) throw new UsageError('open needs one FILE, which a failed test has printed');
  const logger = loggerOf(values, host);
  const state = await opened(path, logger);
  const termination = awaitTermination(host);
  try {
    const { handle, handleWebSocket, page } = state.server.target;
    const listener = await openListener(
      'port',
      { handle, handleWebSocket, page },
      { host: '127.0.0.1', port: values.port, ui: { readOnly: !values.writable, test: state.commands } },
    );
    try {
      const link = state.server.pageLink(listener.url).replace('/ui/#', '/ui/test#');
      host.stdout.write(`The state is shown at (once): ${link}\n`);
      logger.info('serving', { version: host.version, file: path, urls: [listener.url] });
      logger.info('ending', { signal: await termination.requested });
    } finally {
      await listener.close({ grace: 0 });
    }
  } finally {
    termination.forget();
    await state.close();
  }
  return 0;
}

/** @throws StartError when the file is not a state, or cannot be read */
async function opened(path: string, logger: Logger): Promise<OpenedState> {
  try {
    return await openState(await readState(path), logger);
  } catch (error) {
    throw new StartError(`${path} cannot be opened: ${reasonOf(error)}`);
  }
}
