import { allObjects } from '../cluster/all-objects.js';
import { clusterFlags, withCluster } from '../cluster/access.js';
import { defineCommand } from '../command.js';
import { text } from '../flags/kinds.js';
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
    const objects = await withCluster(values, host, (client) => allObjects(client, values.dialect));
    return runTestServer({ ...values, kubeconfig: values['kubeconfig-out'], crds: [], load: [] }, host, objects);
  },
});
