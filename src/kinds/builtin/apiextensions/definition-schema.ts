import * as z from 'zod';
import type { Dialect } from '../../../foundation/index.js';
import {
  always,
  alwaysStruct,
  annotate,
  atomicList,
  bytes,
  compileSchema,
  goNamed,
  int32,
  omitted,
  optional,
  struct,
  time,
  type StructuralSchema,
} from '../../../machinery/index.js';
import { unsetIsNull } from '../shared/facts.js';
import { once } from '../shared/once.js';
import { jsonSchemaType } from './json-schema-type.js';

const text = () => z.string();

const names = once(() =>
  struct('CustomResourceDefinitionNames', {
    plural: always(1, text()),
    singular: omitted(2, text()),
    shortNames: omitted(3, atomicList(text())),
    kind: always(4, text()),
    listKind: omitted(5, text()),
    categories: omitted(6, atomicList(text())),
  }),
);

const subresources = () =>
  struct('CustomResourceSubresources', {
    status: optional(1, struct('CustomResourceSubresourceStatus', {})),
    scale: optional(
      2,
      struct('CustomResourceSubresourceScale', {
        specReplicasPath: always(1, text()),
        statusReplicasPath: always(2, text()),
        labelSelectorPath: optional(3, text()),
      }),
    ),
  });

const column = () =>
  struct('CustomResourceColumnDefinition', {
    name: always(1, text()),
    type: always(2, text()),
    format: omitted(3, text()),
    description: omitted(4, text()),
    priority: omitted(5, int32()),
    jsonPath: always(6, text()),
  });

/** The schema of a version. Its content is a node, since zod cannot express it. */
const validation = (jsonSchema: StructuralSchema) =>
  struct('CustomResourceValidation', {
    openAPIV3Schema: optional(1, node(jsonSchema)),
  });

/** Embeds a node among zod types. */
function node(schema: StructuralSchema): z.ZodObject {
  const { name, properties, protoKind } = schema;
  const facts: object = { name, properties, protoKind };
  return annotate(z.object({}), facts);
}

const version = (jsonSchema: StructuralSchema) =>
  struct('CustomResourceDefinitionVersion', {
    name: always(1, text()),
    served: always(2, z.boolean()),
    storage: always(3, z.boolean()),
    deprecated: omitted(7, z.boolean()),
    deprecationWarning: optional(8, text()),
    schema: optional(4, validation(jsonSchema)),
    subresources: optional(5, subresources()),
    additionalPrinterColumns: omitted(6, atomicList(column())),
    selectableFields: omitted(
      9,
      atomicList(
        struct('SelectableField', {
          jsonPath: always(1, text()),
        }),
      ),
    ),
  });

const webhook = () =>
  struct(
    'WebhookConversion',
    {
      clientConfig: optional(
        2,
        struct('WebhookClientConfig', {
          url: optional(3, text()),
          service: optional(
            1,
            struct('ServiceReference', {
              namespace: always(1, text()),
              name: always(2, text()),
              path: optional(3, text()),
              port: optional(4, int32(), { default: 443, publishedDefault: null }),
            }),
          ),
          caBundle: omitted(2, bytes()),
        }),
      ),
      conversionReviewVersions: unsetIsNull(3, atomicList(text())),
    },
    { publishedRequired: ['conversionReviewVersions'] },
  );

const spec = (jsonSchema: StructuralSchema) =>
  struct(
    'CustomResourceDefinitionSpec',
    {
      group: always(1, text()),
      names: always(3, names()),
      scope: always(4, goNamed('v1.ResourceScope', text())),
      versions: unsetIsNull(7, atomicList(version(jsonSchema))),
      conversion: optional(
        9,
        struct('CustomResourceConversion', {
          strategy: always(1, goNamed('v1.ConversionStrategyType', text())),
          webhook: optional(2, webhook()),
        }),
      ),
      preserveUnknownFields: omitted(10, z.boolean()),
    },
    { publishedRequired: ['versions'] },
  );

const condition = () =>
  struct('CustomResourceDefinitionCondition', {
    type: always(1, goNamed('v1.CustomResourceDefinitionConditionType', text())),
    status: always(2, goNamed('v1.ConditionStatus', text())),
    lastTransitionTime: unsetIsNull(3, time()),
    reason: omitted(4, text()),
    message: omitted(5, text()),
  });

const status = () =>
  struct('CustomResourceDefinitionStatus', {
    conditions: unsetIsNull(1, annotate(z.array(condition()), { listType: 'map', listMapKeys: ['type'] })),
    acceptedNames: alwaysStruct(2, names()),
    storedVersions: unsetIsNull(3, atomicList(text())),
  });

/** Returns the schema of the kind in a dialect, which names the vendor extensions. */
export function definitionSchema({ openApi }: Dialect): StructuralSchema {
  return compileSchema(
    struct('CustomResourceDefinition', {
      spec: always(2, spec(jsonSchemaType(openApi.extensionPrefix))),
      status: alwaysStruct(3, status()),
    }),
  );
}
