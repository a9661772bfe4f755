import { revokeOwnerToken as revoke } from '../../apiserver/index.js';
import { defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import { text } from '../flags/kinds.js';
import type { Host } from '../host.js';
import { readText } from '../serve/files.js';
import { StartError, UsageError } from '../usage-error.js';
import { existingStoreFlags, withExistingStore } from './existing-store.js';

/** The flags of `revoke-owner-token`. */
export const revokeOwnerTokenFlags = {
  kubeconfig: text('FILE', '', 'The kubeconfig that a server wrote, with the token to revoke. Required.'),
  ...existingStoreFlags,
};

/** The command `revoke-owner-token`. */
export const revokeOwnerToken = defineCommand({
  name: 'revoke-owner-token',
  summary: "Revokes the token in a server's kubeconfig, at once on all servers of a store in etcd or PostgreSQL.",
  flags: revokeOwnerTokenFlags,
  run,
});

/** The owner token in a kubeconfig, as this program generates and writes it. */
const TOKEN_LINE = /^ *token: "?([0-9a-f]{64})"?$/m;

/** Returns the owner token in the text of a kubeconfig of this program; undefined when there is none. */
export const ownerTokenIn = (kubeconfig: string): string | undefined => TOKEN_LINE.exec(kubeconfig)?.[1];

async function run(values: FlagValues<typeof revokeOwnerTokenFlags>, host: Host): Promise<number> {
  const { kubeconfig: file } = values;
  if (file === '') throw new UsageError('--kubeconfig is required: the file with the token to revoke');
  const token = ownerTokenIn(await readText(file));
  if (token === undefined)
    throw new UsageError(`--kubeconfig: ${file} has no token that a server of this program made`);
  await withExistingStore(values, host, async (storage, place) => {
    if (storage.isShared !== true)
      throw new StartError(
        `${place} has one server: remove ${file} and restart the server, which then makes another token`,
      );
    await revoke(storage, token);
  });
  host.stdout.write(
    'The token is revoked on all servers. The server that made it makes another one when it starts again.\n',
  );
  return 0;
}
