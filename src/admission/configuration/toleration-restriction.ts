import { atOnce, FieldErrorList, type JsonValue } from '../../foundation/index.js';
import { validateTolerations } from '../../kinds/index.js';
import { list, structNode } from '../../machinery/index.js';
import type { TolerationRestrictionOptions } from '../plugins/tolerations/toleration-options.js';
import { tolerationSchema } from '../plugins/tolerations/toleration-schema.js';
import { readConfiguration, type ConfigurationForm, type ConfigurationReader } from './read-configuration.js';
import { requireValid } from './require-valid.js';

const form: ConfigurationForm = {
  kinds: [{ group: 'podtolerationrestriction.admission', versions: ['v1alpha1'], kind: 'Configuration' }],
  schema: structNode('Configuration', { default: list(tolerationSchema), whitelist: list(tolerationSchema) }),
};

/** Reads the configuration of PodTolerationRestriction. @throws Error with all errors, in the words of Kubernetes */
export function readTolerationRestriction(value: JsonValue, reader: ConfigurationReader): TolerationRestrictionOptions {
  const options = readConfiguration<TolerationRestrictionOptions>(value, form, reader);
  const problems = new FieldErrorList();
  for (const field of ['default', 'whitelist'] as const)
    atOnce(validateTolerations(problems, `podtolerationrestriction.${field}`, options[field] ?? []));
  requireValid(problems);
  return options;
}
