import * as z from 'zod';
import { goNamed, omitted, struct } from '../../schema/vocabulary.js';
import { once } from '../shared/once.js';

/** The name of an object in the same namespace. */
export const localObjectReference = once(() =>
  struct(
    'LocalObjectReference',
    { name: omitted(1, z.string(), { publishedDefault: '', description: 'Name of the object.' }) },
    { mapType: 'atomic' },
  ),
);

/** The name of an object somewhere. */
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

/** Everything that can be said to point at an object or a part of it. */
export const objectReference = once(() =>
  struct(
    'ObjectReference',
    {
      kind: omitted(1, z.string(), { description: 'Kind of the object.' }),
      namespace: omitted(2, z.string(), { description: 'Namespace of the object.' }),
      name: omitted(3, z.string(), { description: 'Name of the object.' }),
      uid: omitted(4, goNamed('types.UID', z.string()), { description: 'UID of the object.' }),
      apiVersion: omitted(5, z.string(), { description: 'API version of the object.' }),
      resourceVersion: omitted(6, z.string(), { description: 'The state of the object that is meant.' }),
      fieldPath: omitted(7, z.string(), {
        description: 'The part of the object that is meant, such as spec.containers{name}.',
      }),
    },
    { mapType: 'atomic' },
  ),
);
