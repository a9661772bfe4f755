/**
 * Validation of an EncryptionConfiguration, with the rules, order and words of Kubernetes. No error shows a secret.
 *
 * @module
 */
import {
  appendErrors,
  FieldPath,
  groupName,
  invalid,
  required,
  systemGroup,
  type Dialect,
  type FieldError,
} from '../../foundation/index.js';
import { decodedSecret } from './secrets.js';
import { parseMask } from './masks.js';
import { validateKms } from './validate-kms.js';
import type { EncryptionConfiguration, EncryptionKey, EncryptionKeys, EncryptionProvider } from './types.js';

const AES_KEY_SIZES = [16, 24, 32];
const SECRETBOX_KEY_SIZES = [32];

/** Stands for a value that contains a secret. */
const REDACTED = 'REDACTED';

/** Resources of Kubernetes that have no REST API. */
const WITHOUT_API = new Set(['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations']);

/** @returns errors in the order of Kubernetes; empty when the configuration is valid */
export function validateEncryptionConfiguration(
  { resources }: EncryptionConfiguration,
  dialect: Dialect,
): readonly FieldError[] {
  const root = FieldPath.of('resources');
  if (resources.length === 0) return [required(root, atLeastOne('resources'))];
  const errors: FieldError[] = [];
  const kmsNames = new Set<string>();
  for (const [index, { resources: masks, providers }] of resources.entries()) {
    const entry = root.index(index);
    const [maskPath, providerPath] = [entry.child('resources'), entry.child('providers')];
    if (masks.length === 0) errors.push(required(maskPath, atLeastOne(maskPath.toString())));
    appendErrors(errors, validateOverlap(masks, maskPath));
    for (const [at, mask] of masks.entries()) appendErrors(errors, validateMask(mask, maskPath.index(at), dialect));
    if (providers.length === 0) errors.push(required(providerPath, atLeastOne(providerPath.toString())));
    for (const [at, provider] of providers.entries())
      appendErrors(errors, validateProvider(provider, providerPath.index(at), kmsNames));
  }
  return errors;
}

const atLeastOne = (what: string): string => `at least one ${what} is required`;

function validateOverlap(masks: readonly string[], path: FieldPath): FieldError[] {
  const groups = new Map<string, { count: number; hasAll: boolean }>();
  for (const { group, resource } of masks.map(parseMask)) {
    const { count, hasAll } = groups.get(group) ?? { count: 0, hasAll: false };
    groups.set(group, { count: count + 1, hasAll: hasAll || resource === '*' });
  }
  const hasEverything = masks.length > 1 && masks.includes('*.*');
  const errors: FieldError[] = [];
  if (new Set(masks).size < masks.length)
    errors.push(invalid(path, masks, 'the same resource cannot be specified multiple times'));
  if (hasEverything || [...groups.values()].some(({ count, hasAll }) => hasAll && count > 1))
    errors.push(
      invalid(
        path,
        masks,
        "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
      ),
    );
  return errors;
}

function validateMask(mask: string, path: FieldPath, dialect: Dialect): FieldError[] {
  const problem = problemOf(mask, dialect);
  return problem === undefined ? [] : [invalid(path, mask, problem)];
}

function problemOf(mask: string, dialect: Dialect): string | undefined {
  if (mask.toLowerCase() !== mask) return 'resource name should not contain capital letters';
  if (mask === '*') return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (WITHOUT_API.has(mask)) return 'resources which do not have REST API/s cannot be encrypted';
  const { group, resource } = parseMask(mask);
  const events = groupName(systemGroup('events'), dialect);
  if (group === events)
    return `'*.${events}' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file`;
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
  return group === '*' && resource !== '*' ? 'encrypting the same resource across groups is not supported' : undefined;
}

function validateProvider(provider: EncryptionProvider, path: FieldPath, kmsNames: Set<string>): FieldError[] {
  const { kms, aesgcm, aescbc, secretbox, identity } = provider;
  const found = [kms, aesgcm, aescbc, secretbox, identity].filter((member) => member !== undefined).length;
  const errors: FieldError[] = [];
  if (found === 0)
    errors.push(
      invalid(
        path,
        REDACTED,
        'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity',
      ),
    );
  if (found > 1)
    errors.push(
      invalid(
        path,
        REDACTED,
        'more than one provider specified in a single element, should split into different list elements',
      ),
    );
  if (kms !== undefined) appendErrors(errors, validateKms(kms, path.child('kms'), kmsNames));
  else if (aesgcm !== undefined) appendErrors(errors, validateKeys(aesgcm, path.child('aesgcm'), AES_KEY_SIZES));
  else if (aescbc !== undefined) appendErrors(errors, validateKeys(aescbc, path.child('aescbc'), AES_KEY_SIZES));
  else if (secretbox !== undefined)
    appendErrors(errors, validateKeys(secretbox, path.child('secretbox'), SECRETBOX_KEY_SIZES));
  return errors;
}

function validateKeys({ keys }: EncryptionKeys, provider: FieldPath, sizes: readonly number[]): FieldError[] {
  const path = provider.child('keys');
  if (keys.length === 0) return [required(path, atLeastOne('keys'))];
  return keys.flatMap((key, index) => validateKey(key, path.index(index), sizes));
}

function validateKey({ name, secret }: EncryptionKey, path: FieldPath, sizes: readonly number[]): FieldError[] {
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(path.child('name'), 'name is a mandatory field for a key'));
  const secretPath = path.child('secret');
  if (secret === '') {
    errors.push(required(secretPath, 'secret is a mandatory field for a key'));
    return errors;
  }
  const bytes = decodedSecret(secret);
  if (bytes === undefined) errors.push(invalid(secretPath, REDACTED, 'secrets must be base64 encoded'));
  else if (!sizes.includes(bytes.length))
    errors.push(
      invalid(
        secretPath,
        REDACTED,
        `secret is not of the expected length, got ${bytes.length}, expected one of [${sizes.join(' ')}]`,
      ),
    );
  return errors;
}
