/** Options that were at the top once, and where they are now. */
const moved: ReadonlyMap<string, string> = new Map([
  ['admissionPlugins', 'admission'],
  ['anonymous', 'authentication.anonymous'],
  ['apiAudiences', 'authentication.apiAudiences'],
  ['audit', 'observability.audit'],
  ['authenticationConfiguration', 'authentication.configuration'],
  ['authenticators', 'authentication.authenticators'],
  ['authorizer', 'authorization.authorizer'],
  ['bootstrapTokens', 'authentication.bootstrapTokens'],
  ['clientCertificates', 'authentication.clientCertificates'],
  ['disabledControllers', 'controllers.disable'],
  ['enabledControllers', 'controllers.enable'],
  ['httpClient', 'network.httpClient'],
  ['livezGracePeriodMs', 'observability.livezGracePeriod'],
  ['logger', 'observability.logger'],
  ['metrics', 'observability.metrics'],
  ['nodes', 'handlers.nodes'],
  ['openIdConnect', 'authentication.openIdConnect'],
  ['ownerToken', 'authentication.ownerToken'],
  ['pods', 'handlers.pods'],
  ['requestHeader', 'authentication.requestHeader'],
  ['rootCertificateAuthority', 'certificates.rootAuthority'],
  ['serviceAccounts', 'authentication.serviceAccounts'],
  ['services', 'network (clusterIPRange, nodePortRange) and handlers.services (proxy)'],
  ['terminatedPodThreshold', 'controllers.terminatedPodThreshold'],
  ['tokens', 'authentication.tokens'],
  ['tokenWebhook', 'authentication.tokenWebhook'],
  ['tracing', 'observability.tracing'],
  ['webhooks', 'network (resolveService, serviceRouting) and admission.webhooks (credentials)'],
  ['wrongBootstrapTokens', 'authentication.wrongBootstrapTokens'],
]);

/** Returns the problem of options with a name that is another one now; undefined when there is none. */
export function movedOption(options: object): string | undefined {
  const name = Object.keys(options).find((candidate) => moved.has(candidate));
  return name === undefined ? undefined : `the option ${name} is ${moved.get(name)} now`;
}
