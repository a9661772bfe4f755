import { FieldErrorList, notSupported, required, type FieldError, type JsonValue } from '../../foundation/index.js';
import { list, requiredText, structNode, text } from '../../machinery/index.js';
import {
  scopeOperators,
  type LimitedResource,
  type LimitedScope,
  type ResourceQuotaOptions,
} from '../plugins/quota/quota-options.js';
import { readConfiguration, type ConfigurationForm, type ConfigurationReader } from './read-configuration.js';
import { requireValid } from './require-valid.js';

interface WrittenScope {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

type WrittenResource = Omit<LimitedResource, 'matchScopes'> & {
  readonly matchScopes?: readonly WrittenScope[] | undefined;
};

const form: ConfigurationForm = {
  kinds: [
    { group: 'apiserver.config', versions: ['v1'], kind: 'ResourceQuotaConfiguration' },
    { group: 'resourcequota.admission', versions: ['v1beta1', 'v1alpha1'], kind: 'Configuration' },
  ],
  schema: structNode('ResourceQuotaConfiguration', {
    limitedResources: list(
      structNode('LimitedResource', {
        apiGroup: text,
        resource: { ...text, presence: 'always' },
        matchContains: list(requiredText),
        matchScopes: list(
          structNode('ScopedResourceSelectorRequirement', {
            scopeName: requiredText,
            operator: requiredText,
            values: list(requiredText),
          }),
        ),
      }),
      'always',
    ),
  }),
};

/** Reads a ResourceQuotaConfiguration. @throws Error with all errors */
export function readResourceQuota(value: JsonValue, reader: ConfigurationReader): ResourceQuotaOptions {
  const written = readConfiguration<{ readonly limitedResources: readonly WrittenResource[] }>(value, form, reader);
  const problems = new FieldErrorList();
  const limitedResources = written.limitedResources.map(({ matchScopes, ...limited }, index): LimitedResource => {
    const path = `limitedResources[${index}]`;
    if (limited.resource === '') problems.push(required(`${path}.resource`));
    if (matchScopes === undefined) return limited;
    return {
      ...limited,
      matchScopes: matchScopes.flatMap((scope, at) => scopeOf(scope, `${path}.matchScopes[${at}]`, problems)),
    };
  });
  requireValid(problems);
  return { limitedResources };
}

/** Kubernetes finds an unknown operator at the first request, and then admits it: here the configuration is refused. */
function scopeOf({ operator, ...scope }: WrittenScope, path: string, problems: FieldError[]): LimitedScope[] {
  const known = scopeOperators.find((name) => name === operator);
  if (known !== undefined) return [{ ...scope, operator: known }];
  problems.push(notSupported(`${path}.operator`, operator, scopeOperators));
  return [];
}
