/**
 * The AdmissionConfiguration: where each plugin has its configuration.
 *
 * @see release 1.31, `pkg/admission/config.go` of the module apiserver
 * @module
 */
import { isJsonObject, type JsonValue } from '../../foundation/index.js';
import { list, structNode, text, type StructuralSchema } from '../../machinery/index.js';
import { readConfiguration, type ConfigurationForm, type ConfigurationReader } from './read-configuration.js';

/** The configuration of one plugin. */
export interface ConfiguredPlugin {
  readonly name: string;
  /** A file; relative paths begin at the folder of the AdmissionConfiguration. Empty for none. */
  readonly path: string;
  /** The configuration itself, which takes precedence over the path. */
  readonly configuration?: JsonValue | undefined;
}

const anything: StructuralSchema = Object.freeze({ type: 'any', presence: 'keep' });

const form: ConfigurationForm = {
  kinds: [
    { group: 'apiserver.config', versions: ['v1'], kind: 'AdmissionConfiguration' },
    { group: 'apiserver', versions: ['v1alpha1'], kind: 'AdmissionConfiguration' },
  ],
  schema: structNode('AdmissionConfiguration', {
    plugins: list(
      structNode('AdmissionPluginConfiguration', {
        name: { ...text, presence: 'always' },
        path: { ...text, presence: 'always' },
        configuration: anything,
      }),
      'always',
    ),
  }),
};

/** Plugins whose configuration has no kind: a file for one of them may take the place of the AdmissionConfiguration. */
const LEGACY: readonly (readonly [field: string, plugin: string])[] = [
  ['imagePolicy', 'ImagePolicyWebhook'],
  ['podNodeSelectorPluginConfig', 'PodNodeSelector'],
];

/**
 * Reads an AdmissionConfiguration of `apiserver.config.<suffix>/v1` or `apiserver.<suffix>/v1alpha1`, or the old form:
 * the configuration of ImagePolicyWebhook or PodNodeSelector alone.
 *
 * @throws Error in the words of Kubernetes for a wrong kind or version, or a field of a wrong type
 */
export function readAdmissionConfiguration(value: JsonValue, reader: ConfigurationReader): readonly ConfiguredPlugin[] {
  if (isJsonObject(value) && value['kind'] === undefined) {
    const legacy = LEGACY.filter(([field]) => value[field] !== undefined);
    if (legacy.length > 0) return legacy.map(([, name]) => ({ name, path: '', configuration: value }));
  }
  const { plugins } = readConfiguration<{ readonly plugins: readonly ConfiguredPlugin[] }>(value, form, reader);
  return plugins;
}
