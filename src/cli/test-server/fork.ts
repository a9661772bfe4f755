import { allObjects } from '../cluster/all-objects.js';
import { clusterFlags, withCluster } from '../cluster/access.js';
import { defineCommand } from '../command.js';
import { text } from '../flags/kinds.js';
import { readResources } from '../serve/resources-file.js';
import { loggerOf } from '../serve/telemetry/log-format.js';
import { testServerFlags } from './flags.js';
import { runTestServer } from './test-server.js';

const { kubeconfig: written, output, crds: _crds, load: _load, dialect: _dialect, ...ownFlags } = testServerFlags;

/** The flags of `fork`: those of the server that is copied, and those of `test-server`. */
const forkFlags = {
  ...clusterFlags,
  'kubeconfig-out': text('FILE', '', written.help),
  output: { ...output, help: output.help.replace('with --kubeconfig', 'with --kubeconfig-out') },
  ...ownFlags,
};

/** The command `fork`: runs a test server with a copy of the objects of a running server. */
export const fork = defineCommand({
  name: 'fork',
  summary: 'Runs a test server with a copy of the objects of a running server, which it leaves alone.',
  flags: forkFlags,
  async run(values, host) {
    const { dialect } = values;
    const resources = await readResources(values.resources);
    const { objects, omitted } = await withCluster(values, host, (client, read) =>
      allObjects({ client, read, dialect, resources }),
    );
    const logger = loggerOf(values, host);
    const warn = logger.warn?.bind(logger) ?? logger.info.bind(logger);
    if (omitted.length > 0)
      warn('not copied: the server defines these kinds; give them with --resources', {
        kinds: omitted,
      });
    const ownValues = { ...values, kubeconfig: values['kubeconfig-out'], crds: [], load: [] };
    return runTestServer(ownValues, host, { objects, resources });
  },
});
