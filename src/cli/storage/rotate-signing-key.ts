import { rotateStoredSigningKey } from '../../apiserver/index.js';
import { defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import { duration } from '../flags/kinds.js';
import type { Host } from '../host.js';
import { existingStoreFlags, withExistingStore } from './existing-store.js';

/** The flags of `rotate-signing-key`. */
export const rotateSigningKeyFlags = {
  'sign-after': duration('1h', 'Time until the new key signs. Servers accept and publish it from the beginning.'),
  overlap: duration('8784h', 'Time after that in which tokens of the former key are accepted.'),
  ...existingStoreFlags,
};

/** The command `rotate-signing-key`. */
export const rotateSigningKey = defineCommand({
  name: 'rotate-signing-key',
  summary: 'Exchanges the signing key of service account tokens in a store, whose servers follow without a restart.',
  flags: rotateSigningKeyFlags,
  run,
});

async function run(values: FlagValues<typeof rotateSigningKeyFlags>, host: Host): Promise<number> {
  const times = { signAfter: values['sign-after'], overlap: values.overlap };
  const { keyId, signsFrom, formerKeyId, formerUntil } = await withExistingStore(values, host, (storage) =>
    rotateStoredSigningKey(storage, host.clock, times),
  );
  host.stdout.write(
    `The key ${keyId} is accepted now and signs from ${signsFrom.toISOString()} on.\n` +
      `Tokens of the key ${formerKeyId} are accepted until ${formerUntil.toISOString()}, unless they expire before.\n`,
  );
  return 0;
}
