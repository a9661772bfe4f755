/** Volumes with files from other objects: secrets, config maps, the pod itself, tokens, trust bundles. */
import * as z from 'zod';
import { always, atomicList, int32, int64, optional, omitted, quantity, struct } from '../../../schema/vocabulary.js';
import { inlined } from '../../shared/facts.js';
import { labelSelector } from '../../shared/label-selector.js';
import { unsetIsNull } from '../../shared/facts.js';
import { once } from '../../shared/once.js';

/** A reference to an object in the pod's namespace. Protobuf has it in a separate message. */
export const inlineReference = (description: string) =>
  inlined(1, { name: omitted(1, z.string(), { publishedDefault: '', description }) });

/** A field of the pod itself. */
export const objectFieldSelector = once(() =>
  struct(
    'ObjectFieldSelector',
    {
      apiVersion: omitted(1, z.string(), { description: 'Version that fieldPath is written in; default v1.' }),
      fieldPath: always(2, z.string(), { description: 'The field, such as metadata.name.' }),
    },
    { mapType: 'atomic' },
  ),
);

/** A resource request or limit of a container. */
export const resourceFieldSelector = once(() =>
  struct(
    'ResourceFieldSelector',
    {
      containerName: omitted(1, z.string(), {
        description: 'The container; required for volumes, optional for environment variables.',
      }),
      resource: always(2, z.string(), { description: 'The resource, such as limits.cpu.' }),
      // Not a pointer in Kubernetes: written as "0" when it is unset.
      divisor: always(3, quantity().optional(), { description: 'Unit of the value; default 1.' }),
    },
    { mapType: 'atomic' },
  ),
);

const keyToPath = once(() =>
  struct('KeyToPath', {
    key: always(1, z.string(), { description: 'The key.' }),
    path: always(2, z.string(), { description: 'The file, as a relative path without "..".' }),
    mode: optional(3, int32(), { description: 'Permission bits of the file, 0 to 511.' }),
  }),
);

const items = () => atomicList(keyToPath());
const ITEMS = 'The keys to write as files, and where. Absent: all of them, each under its own name.';
const DEFAULT_MODE = 'Permission bits of the files without a mode of their own, 0 to 511; default 420 (0644).';
const OPTIONAL = 'Whether the pod may start without it.';

const downwardItems = once(() =>
  atomicList(
    struct('DownwardAPIVolumeFile', {
      path: always(1, z.string(), { description: 'The file, as a relative path without "..".' }),
      fieldRef: optional(2, objectFieldSelector(), { description: 'A field of the pod.' }),
      resourceFieldRef: optional(3, resourceFieldSelector(), { description: 'A resource of a container.' }),
      mode: optional(4, int32(), { description: 'Permission bits of the file, 0 to 511.' }),
    }),
  ),
);

/** A secret as files. */
export const secretVolume = once(() =>
  struct('SecretVolumeSource', {
    secretName: omitted(1, z.string(), { description: 'Name of the secret.' }),
    items: omitted(2, items(), { description: ITEMS }),
    defaultMode: optional(3, int32(), { description: DEFAULT_MODE }),
    optional: optional(4, z.boolean(), { description: OPTIONAL }),
  }),
);

/** A config map as files. */
export const configMapVolume = once(() =>
  struct('ConfigMapVolumeSource', {
    ...inlineReference('Name of the config map.'),
    items: omitted(2, items(), { description: ITEMS }),
    defaultMode: optional(3, int32(), { description: DEFAULT_MODE }),
    optional: optional(4, z.boolean(), { description: OPTIONAL }),
  }),
);

/** Pod fields as files. */
export const downwardVolume = once(() =>
  struct('DownwardAPIVolumeSource', {
    items: omitted(1, downwardItems(), { description: 'The files.' }),
    defaultMode: optional(2, int32(), { description: DEFAULT_MODE }),
  }),
);

const secretProjection = once(() =>
  struct('SecretProjection', {
    ...inlineReference('Name of the secret.'),
    items: omitted(2, items(), { description: ITEMS }),
    optional: optional(4, z.boolean(), { description: OPTIONAL }),
  }),
);

const configMapProjection = once(() =>
  struct('ConfigMapProjection', {
    ...inlineReference('Name of the config map.'),
    items: omitted(2, items(), { description: ITEMS }),
    optional: optional(4, z.boolean(), { description: OPTIONAL }),
  }),
);

const tokenProjection = once(() =>
  struct('ServiceAccountTokenProjection', {
    audience: omitted(1, z.string(), { description: 'Audience of the token; default the API server.' }),
    expirationSeconds: optional(2, int64(), { description: 'Lifetime of the token, at least 600; default 3600.' }),
    path: always(3, z.string(), { description: 'The file, as a relative path without "..".' }),
  }),
);

const trustBundleProjection = once(() =>
  struct('ClusterTrustBundleProjection', {
    name: optional(1, z.string(), {
      description: 'Name of a bundle. Mutually exclusive with signerName and labelSelector.',
    }),
    signerName: optional(2, z.string(), { description: 'All bundles of a signer that labelSelector selects.' }),
    labelSelector: optional(3, labelSelector(), {
      description: 'Bundles of signerName; absent selects none, empty selects all.',
    }),
    optional: optional(5, z.boolean(), { description: OPTIONAL }),
    path: always(4, z.string(), { description: 'The file, as a relative path.' }),
  }),
);

/** Several sources in one directory. */
export const projectedVolume = once(() =>
  struct('ProjectedVolumeSource', {
    sources: unsetIsNull(
      1,
      atomicList(
        struct('VolumeProjection', {
          secret: optional(1, secretProjection(), { description: 'A secret.' }),
          downwardAPI: optional(
            2,
            struct('DownwardAPIProjection', { items: omitted(1, downwardItems(), { description: 'The files.' }) }),
            { description: 'Pod fields.' },
          ),
          configMap: optional(3, configMapProjection(), { description: 'A config map.' }),
          serviceAccountToken: optional(4, tokenProjection(), {
            description: "A token of the pod's service account, renewed as needed.",
          }),
          clusterTrustBundle: optional(5, trustBundleProjection(), { description: 'Trust anchors.' }),
        }),
      ),
      { description: 'Sources of the files.' },
    ),
    defaultMode: optional(2, int32(), { description: DEFAULT_MODE }),
  }),
);
