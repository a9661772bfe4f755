import { invalid, type JsonValue } from '../../foundation/index.js';
import { structNode, text } from '../../machinery/index.js';
import { readConfiguration, type ConfigurationForm, type ConfigurationReader } from './read-configuration.js';

const form: ConfigurationForm = {
  kinds: [
    { group: 'apiserver.config', versions: ['v1'], kind: 'WebhookAdmissionConfiguration' },
    { group: 'apiserver.config', versions: ['v1alpha1'], kind: 'WebhookAdmission' },
  ],
  schema: structNode('WebhookAdmission', { kubeConfigFile: { ...text, presence: 'always' } }),
};

/**
 * Reads a WebhookAdmissionConfiguration.
 *
 * @param isAbsolute returns whether a path is absolute on the host
 * @returns the kubeconfig whose users are the credentials for webhooks
 * @throws Error in the words of Kubernetes
 */
export function readWebhookAdmission(
  value: JsonValue,
  isAbsolute: (path: string) => boolean,
  reader: ConfigurationReader,
): string {
  const { kubeConfigFile } = readConfiguration<{ readonly kubeConfigFile: string }>(value, form, reader);
  if (!isAbsolute(kubeConfigFile))
    throw new Error(String(invalid('kubeConfigFile', kubeConfigFile, 'must be an absolute file path')));
  return kubeConfigFile;
}
