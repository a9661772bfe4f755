import { createEncryption, type StoreEncryption } from '../../apiserver/index.js';
import {
  dialects,
  groupName,
  isJsonObject,
  systemGroup,
  watchReloadedFile,
  type Dialect,
  type JsonValue,
  type Logger,
} from '../../foundation/index.js';
import { parseConfigurationText } from '../../server/index.js';
import { bool, text } from '../flags/kinds.js';
import type { FlagValues } from '../flags/flag.js';
import type { Host } from '../host.js';
import { onFileChange } from '../serve/file-changes.js';
import { orUsageError, readText } from '../serve/files.js';
import { UsageError } from '../usage-error.js';
import type { StoreChoice } from './choice.js';

const FLAG = 'encryption-provider-config';

/** The flag of every command that needs the plain values of a store. */
export const encryptionFlags = {
  [FLAG]: text(
    'FILE',
    '',
    'EncryptionConfiguration (YAML or JSON): which resources are encrypted in the store, and the keys. Default: no encryption.',
  ),
};

/** The encryption flags of `serve`. */
export const servedEncryptionFlags = {
  ...encryptionFlags,
  'encryption-provider-config-automatic-reload': bool(
    false,
    'Reloads the file of --encryption-provider-config when it changes.',
  ),
};

/** The encryption of a store from a file. */
export interface EncryptionSetup {
  readonly encryption: StoreEncryption;
  /** Stops reloading the file, and closes the connections to key services. */
  close(): void;
}

/**
 * Reads the file of `--encryption-provider-config`; undefined without the flag.
 *
 * @param dialect dialect of the store; undefined when only the store knows it, and the file must then name it
 * @param automaticReload whether the file is read again when it changes
 * @throws UsageError that names the flag, when the file is invalid, or when the store is in memory
 */
export async function readEncryption(
  { [FLAG]: path }: FlagValues<typeof encryptionFlags>,
  choice: StoreChoice,
  dialect: Dialect | undefined,
  { entropy, clock }: Host,
  automaticReload = false,
): Promise<(EncryptionSetup & { readonly text: string }) | undefined> {
  if (path === '') return undefined;
  if (choice.engine === 'memory')
    throw new UsageError(`--${FLAG}: a store in memory keeps nothing at rest; choose another --storage`);
  return orUsageError(FLAG, async () => {
    const read = await readText(path);
    const configuration = await parse(read);
    const encryption = await createEncryption({
      configuration,
      dialect: dialect ?? dialectOf(configuration),
      ...{ entropy, clock, automaticReload },
    });
    return { text: read, encryption, close: () => encryption.close() };
  });
}

/** Does the same for a server, which may reload the file. */
export async function setUpEncryption(
  values: FlagValues<typeof servedEncryptionFlags>,
  choice: StoreChoice,
  dialect: Dialect,
  host: Host,
  log: Logger,
): Promise<EncryptionSetup | undefined> {
  const { [FLAG]: path, 'encryption-provider-config-automatic-reload': reloads } = values;
  if (reloads && path === '')
    throw new UsageError(`--encryption-provider-config-automatic-reload must be set with --${FLAG}`);
  const found = await readEncryption(values, choice, dialect, host, reloads);
  if (found === undefined || !reloads) return found;
  const { encryption, text: current } = found;
  const watch = watchReloadedFile({
    name: 'encryption config',
    text: current,
    read: () => readText(path),
    load: parse,
    apply: (configuration) => encryption.reload(configuration),
    onChange: (changed) => onFileChange(path, changed),
    clock: host.clock,
    log,
  });
  return {
    encryption,
    close: () => {
      watch.close();
      encryption.close();
    },
  };
}

async function parse(read: string): Promise<JsonValue> {
  if (read === '') throw new Error('the file is empty');
  return parseConfigurationText(read);
}

/** Returns the dialect whose group the file names. */
function dialectOf(configuration: JsonValue): Dialect | undefined {
  const apiVersion = isJsonObject(configuration) ? configuration['apiVersion'] : undefined;
  return [...dialects.values()].find(
    (dialect) => apiVersion === `${groupName(systemGroup('apiserver.config'), dialect)}/v1`,
  );
}
