import type { NetworkOptions } from '../../../apiserver/index.js';
import { dnsLabelErrors, type WebhookService } from '../../../foundation/index.js';
import type { Flag, FlagValues } from '../../flags/flag.js';
import { bool } from '../../flags/kinds.js';

/** Where the services of webhooks are. */
type ServiceUrls = ReadonlyMap<string, URL>;

/** The flags of `serve` and `test-server` for the calls of webhooks. */
export const webhookFlags = {
  'enable-aggregator-routing': bool(
    true,
    'Requests a webhook that is configured by its service at one of the addresses of the endpoints; false: at the cluster IP.',
  ),
  'webhook-service': serviceUrls(
    'Address of a service of webhooks: hooks/validator=https://127.0.0.1:9443, or hooks/validator:443=URL for one port. The certificate is that of the service, validator.hooks.svc. Repeatable.',
  ),
};

/** The values of the flags about services. */
type NetworkValues = FlagValues<typeof webhookFlags> & {
  readonly 'service-cluster-ip-range': string;
  readonly 'service-node-port-range': string;
};

/** Returns the options of the flags. */
export function networkOptions(values: NetworkValues): NetworkOptions {
  const urls = values['webhook-service'];
  return {
    clusterIPRange: values['service-cluster-ip-range'],
    nodePortRange: values['service-node-port-range'],
    serviceRouting: values['enable-aggregator-routing'] ? 'Endpoints' : 'ClusterIP',
    resolveService: ({ namespace, name, port }: WebhookService) =>
      urls.get(`${namespace}/${name}:${port}`) ?? urls.get(`${namespace}/${name}`),
  };
}

/** Returns a repeatable flag that maps services to URLs. */
function serviceUrls(help: string): Flag<ServiceUrls> {
  const parse = (text: string, before: ServiceUrls | undefined): ServiceUrls => {
    const [, service = '', namespace = '', name = '', url = ''] =
      /^(([^/=]+)\/([^/=:]+)(?::\d{1,5})?)=(.+)$/.exec(text) ?? [];
    if (service === '' || [namespace, name].some((part) => dnsLabelErrors(part).length > 0))
      throw new Error('must be NAMESPACE/NAME=URL or NAMESPACE/NAME:PORT=URL');
    if (!URL.canParse(url) || !url.startsWith('https://')) throw new Error('the address must start with https://');
    return new Map(before).set(service, new URL(url));
  };
  return { valueName: 'SERVICE=URL', help, fallback: new Map(), shown: '', form: 'repeated', parse };
}
