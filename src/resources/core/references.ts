import * as z from 'zod';
import { goNamed, omitted, struct } from '../../schema/vocabulary.js';
import { once } from '../shared/once.js';

/** A reference to an object in the same namespace. */
export const localObjectReference = once(() =>
  struct(
    'LocalObjectReference',
    { name: omitted(1, z.string(), { publishedDefault: '', description: 'Name of the object.' }) },
    { mapType: 'atomic' },
  ),
);

/** A reference to a Secret in any namespace. */
export const secretReference = once(() =>
  struct(
    'SecretReference',
    {
      name: omitted(1, z.string(), { description: 'Name of the secret.' }),
      namespace: omitted(2, z.string(), { description: 'Namespace of the secret.' }),
    },
    { mapType: 'atomic' },
  ),
);

/** A reference to an object, or to a part of it. */
export const objectReference = once(() =>
  struct(
    'ObjectReference',
    {
      kind: omitted(1, z.string(), { description: 'Kind of the object.' }),
      namespace: omitted(2, z.string(), { description: 'Namespace of the object.' }),
      name: omitted(3, z.string(), { description: 'Name of the object.' }),
      uid: omitted(4, goNamed('types.UID', z.string()), { description: 'UID of the object.' }),
      apiVersion: omitted(5, z.string(), { description: 'API version of the object.' }),
      resourceVersion: omitted(6, z.string(), { description: 'Resource version of the referenced state.' }),
      fieldPath: omitted(7, z.string(), {
        description: 'The referenced part of the object, such as spec.containers{name}.',
      }),
    },
    { mapType: 'atomic' },
  ),
);
