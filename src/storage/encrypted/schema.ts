import { list, requiredText, structNode, text, type Presence, type StructuralSchema } from '../../machinery/index.js';

const keys = (presence: Presence = 'omit'): StructuralSchema =>
  structNode(
    'Keys',
    { keys: list(structNode('Key', { name: requiredText, secret: requiredText }), 'always') },
    presence,
  );

const kms = structNode('KMSConfiguration', {
  apiVersion: text,
  name: requiredText,
  cachesize: Object.freeze({ type: 'integer', presence: 'keep' }),
  endpoint: requiredText,
  timeout: text,
});

const provider = structNode('ProviderConfiguration', {
  aesgcm: keys('keep'),
  aescbc: keys('keep'),
  secretbox: keys('keep'),
  identity: structNode('IdentityConfiguration', {}),
  kms,
});

/** The fields of an EncryptionConfiguration. */
export const encryptionConfigurationSchema: StructuralSchema = structNode('EncryptionConfiguration', {
  apiVersion: text,
  kind: text,
  resources: list(
    structNode('ResourceConfiguration', { resources: list(text, 'always'), providers: list(provider, 'always') }),
    'always',
  ),
});
