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
  struct(
    'CustomResourceDefinitionNames',
    {
      plural: always(1, text(), { description: 'Plural name in lower case, as in paths.' }),
      singular: omitted(2, text(), { description: 'Singular name in lower case. Default the kind in lower case.' }),
      shortNames: omitted(3, atomicList(text()), { description: 'Short names for the command line.' }),
      kind: always(4, text(), { description: 'Name of the kind in CamelCase.' }),
      listKind: omitted(5, text(), { description: 'Name of the list kind. Default the kind and List.' }),
      categories: omitted(6, atomicList(text()), { description: 'Groups of kinds that the kind belongs to.' }),
    },
    { description: 'The names of a custom kind.' },
  ),
);

const subresources = () =>
  struct('CustomResourceSubresources', {
    status: optional(1, struct('CustomResourceSubresourceStatus', {}), {
      description: 'Makes the status a subresource: other writes do not change it.',
    }),
    scale: optional(
      2,
      struct('CustomResourceSubresourceScale', {
        specReplicasPath: always(1, text(), { description: 'JSON path below .spec of the wanted replicas.' }),
        statusReplicasPath: always(2, text(), { description: 'JSON path below .status of the present replicas.' }),
        labelSelectorPath: optional(3, text(), {
          description: 'JSON path below .spec or .status of the text of a label selector.',
        }),
      }),
      { description: 'Serves the numbers of replicas as a Scale.' },
    ),
  });

const column = () =>
  struct('CustomResourceColumnDefinition', {
    name: always(1, text(), { description: 'Title of the column.' }),
    type: always(2, text(), { description: 'integer, number, string, boolean or date.' }),
    format: omitted(3, text(), { description: 'Format of the cells.' }),
    description: omitted(4, text(), { description: 'Meaning of the column.' }),
    priority: omitted(5, int32(), { description: '0 shows the column always; greater values only in wide output.' }),
    jsonPath: always(6, text(), { description: 'JSON path of the value.' }),
  });

/** The schema of a version. Its content is a node, since zod cannot express it. */
const validation = (jsonSchema: StructuralSchema) =>
  struct('CustomResourceValidation', {
    openAPIV3Schema: optional(1, node(jsonSchema), { description: 'The schema of the objects.' }),
  });

/** Embeds a node among zod types. */
function node(schema: StructuralSchema): z.ZodObject {
  const { name, typeDescription, properties, protoKind } = schema;
  const facts: object = { name, typeDescription, properties, protoKind };
  return annotate(z.object({}), facts);
}

const version = (jsonSchema: StructuralSchema) =>
  struct('CustomResourceDefinitionVersion', {
    name: always(1, text(), { description: 'Name of the version, such as v1 or v2beta1.' }),
    served: always(2, z.boolean(), { description: 'Whether the version is served.' }),
    storage: always(3, z.boolean(), {
      description: 'Whether objects are stored in this version; true for exactly one version.',
    }),
    deprecated: omitted(7, z.boolean(), { description: 'Whether requests to this version get a warning.' }),
    deprecationWarning: optional(8, text(), { description: 'Text of that warning.' }),
    schema: optional(4, validation(jsonSchema), { description: 'The schema of this version.' }),
    subresources: optional(5, subresources(), { description: 'The subresources of this version.' }),
    additionalPrinterColumns: omitted(6, atomicList(column()), {
      description: 'Columns of the Table form. Default the age.',
    }),
    selectableFields: omitted(
      9,
      atomicList(
        struct('SelectableField', {
          jsonPath: always(1, text(), { description: 'JSON path of the field, without list indices.' }),
        }),
      ),
      { description: 'Fields that field selectors may use; at most 8.' },
    ),
  });

const webhook = () =>
  struct(
    'WebhookConversion',
    {
      clientConfig: optional(
        2,
        struct('WebhookClientConfig', {
          url: optional(3, text(), { description: 'URL of the webhook. Excludes service.' }),
          service: optional(
            1,
            struct('ServiceReference', {
              namespace: always(1, text(), { description: 'Namespace of the service.' }),
              name: always(2, text(), { description: 'Name of the service.' }),
              path: optional(3, text(), { description: 'Path of the request.' }),
              port: optional(4, int32(), { default: 443, publishedDefault: null, description: 'Port. Default 443.' }),
            }),
            { description: 'Service of the webhook. Excludes url.' },
          ),
          caBundle: omitted(2, bytes(), { description: "PEM certificates of the webhook's authority." }),
        }),
        { description: 'How the webhook is called.' },
      ),
      conversionReviewVersions: unsetIsNull(3, atomicList(text()), {
        description: 'Versions of ConversionReview that the webhook accepts, in order of preference.',
      }),
    },
    { publishedRequired: ['conversionReviewVersions'] },
  );

const spec = (jsonSchema: StructuralSchema) =>
  struct(
    'CustomResourceDefinitionSpec',
    {
      group: always(1, text(), { description: 'API group of the kind. The definition is named <plural>.<group>.' }),
      names: always(3, names(), { description: 'The names of the kind.' }),
      scope: always(4, goNamed('v1.ResourceScope', text()), { description: 'Namespaced or Cluster.' }),
      versions: unsetIsNull(7, atomicList(version(jsonSchema)), { description: 'The versions of the kind.' }),
      conversion: optional(
        9,
        struct('CustomResourceConversion', {
          strategy: always(1, goNamed('v1.ConversionStrategyType', text()), {
            description: 'None: only the apiVersion changes. Webhook: the webhook converts.',
          }),
          webhook: optional(2, webhook(), { description: 'The webhook that converts.' }),
        }),
        { description: 'How objects are converted between versions. Default None.' },
      ),
      preserveUnknownFields: omitted(10, z.boolean(), {
        description: 'Must be false. Schemas say which unknown fields are kept.',
      }),
    },
    { publishedRequired: ['versions'] },
  );

const condition = () =>
  struct('CustomResourceDefinitionCondition', {
    type: always(1, goNamed('v1.CustomResourceDefinitionConditionType', text()), {
      description: 'Name of the condition.',
    }),
    status: always(2, goNamed('v1.ConditionStatus', text()), { description: 'True, False or Unknown.' }),
    lastTransitionTime: unsetIsNull(3, time(), { description: 'When the status last changed.' }),
    reason: omitted(4, text(), { description: 'Reason as a CamelCase word.' }),
    message: omitted(5, text(), { description: 'Human-readable message.' }),
  });

const status = () =>
  struct('CustomResourceDefinitionStatus', {
    conditions: unsetIsNull(1, annotate(z.array(condition()), { listType: 'map', listMapKeys: ['type'] }), {
      description: 'The states of the definition.',
    }),
    acceptedNames: alwaysStruct(2, names(), { description: 'The names that are served.' }),
    storedVersions: unsetIsNull(3, atomicList(text()), {
      description: 'Versions in which objects may be stored. None of them can be removed from spec.versions.',
    }),
  });

/** Returns the schema of the kind in a dialect, which names the vendor extensions. */
export function definitionSchema({ openApi }: Dialect): StructuralSchema {
  return compileSchema(
    struct('CustomResourceDefinition', {
      spec: always(2, spec(jsonSchemaType(openApi.extensionPrefix)), { description: 'What the kind is.' }),
      status: alwaysStruct(3, status(), { description: 'The state of the definition. Set by the server.' }),
    }),
  );
}
