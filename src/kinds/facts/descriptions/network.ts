/** Descriptions of services, ingresses and network policies; the format is that of `../descriptions.ts`. */
export const network = `
discovery.Endpoint: An address that traffic of a service goes to, usually a pod.
  addresses: The addresses, of the addressType of the slice. They all lead to the same endpoint, and clients use the first.
  conditions: Whether traffic should go to the endpoint.
  hostname: Host name of the endpoint, for a DNS name of its own.
  targetRef: The object behind the address.
  deprecatedTopology: No longer used: labels for the place of the endpoint, in the form of v1beta1. Can be read, not written.
  nodeName: Name of the node of the endpoint.
  zone: Zone of the endpoint.
  hints: How traffic should be distributed to the endpoint.

discovery.EndpointConditions: Whether traffic should go to an endpoint.
  ready: Whether the endpoint is ready for traffic, which is never so while it is being deleted. Absent counts as true.
  serving: Whether the endpoint serves, even while it is being deleted. Absent counts as the value of ready.
  terminating: Whether the endpoint is being deleted. Absent counts as false.

discovery.EndpointHints: How traffic should be distributed to an endpoint.
  forZones: The zones whose traffic the endpoint should get.

discovery.EndpointPort: A port of the endpoints of a slice.
  name: Name of the port, a DNS label that is unique in the slice; empty for a single port.
  protocol: TCP, UDP or SCTP. Default TCP.
  port: Number of the port; absent for all ports.
  appProtocol: Protocol of the application, such as http, for programs that know it.

discovery.EndpointSlice: Some of the endpoints of a service. A service with many endpoints has several slices.
  endpoints: The endpoints; at most 1000.
  ports: Ports of each endpoint; at most 100. Empty: no ports are known.
  addressType: IPv4, IPv6 or FQDN: the form of all addresses. Cannot be changed.

discovery.ForZone: A zone whose traffic an endpoint should get.
  name: Name of the zone.

networking.HTTPIngressPath: A path and where its requests go.
  path: The path, which begins with a slash. It may be empty for ImplementationSpecific only.
  backend: Where the requests go.
  pathType: Exact matches the whole path, Prefix its first parts between slashes; with ImplementationSpecific the controller decides.

networking.HTTPIngressRuleValue: Paths of one host.
  paths: The paths.

networking.IPBlock: A range of IP addresses.
  cidr: The range, such as 192.168.1.0/24.
  except: Ranges within it that are left out.

networking.Ingress: Leads HTTP requests from outside the cluster to services, by host and path.
  spec: The rules.
  status: Where the rules are served.

networking.IngressBackend: Where requests go: to a service or to another object.
  resource: Another object in the same namespace. Excludes service.
  service: A service and its port. Excludes resource.

networking.IngressClass: A controller for Ingresses, with its parameters.
  spec: The controller and its parameters.

networking.IngressClassParametersReference: An object with parameters of a controller.
  apiGroup: API group of the object; absent for the core group.
  kind: Kind of the object.
  name: Name of the object.
  scope: Cluster or Namespace: the scope of the object. Default Cluster.
  namespace: Namespace of the object, for the scope Namespace.

networking.IngressClassSpec: The controller of an IngressClass.
  controller: Name of the controller, a domain and a path: example.com/ingress. Cannot be changed.
  parameters: An object with parameters for the controller.

networking.IngressLoadBalancerIngress: An address at which an Ingress is served.
  ip: IP address.
  hostname: Host name.
  ports: Ports at the address.

networking.IngressLoadBalancerStatus: Where an Ingress is served.
  ingress: The addresses.

networking.IngressPortStatus: A port at which an Ingress is served.
  port: Number of the port.
  protocol: TCP, UDP or SCTP.
  error: Why the port does not work, as a CamelCase word; a word of a provider has a domain before it.

networking.IngressRule < networking.IngressRuleValue: The paths of one host.
  host: Host name, as in the request; its first part may be "*". Empty for all hosts.

networking.IngressRuleValue: Paths of one host.
  http: The paths. Default everything goes to the default backend.

networking.IngressServiceBackend: A service as the target of requests.
  name: Name of the service, in the namespace of the Ingress.
  port: Port of the service.

networking.IngressSpec: The rules of an Ingress.
  defaultBackend: Where requests go that match no rule.
  tls: Certificates by host.
  rules: The rules.
  ingressClassName: Name of the IngressClass whose controller serves the rules. Default the class that is marked as default.

networking.IngressStatus: Where an Ingress is served.
  loadBalancer: The addresses.

networking.IngressTLS: The certificate of some hosts.
  hosts: The hosts of the certificate. Default all hosts of the Ingress.
  secretName: Name of the secret with the certificate and its key. Default what the controller has.

networking.NetworkPolicy: Which network traffic is allowed to and from pods. Pods that no policy selects are open.
  spec: The pods and the allowed traffic.

networking.NetworkPolicyEgressRule: Allowed traffic from pods. Ports and peers must both match.
  ports: Ports of the other side. Default all.
  to: The other sides. Default all.

networking.NetworkPolicyIngressRule: Allowed traffic to pods. Ports and peers must both match.
  ports: Ports of the pods. Default all.
  from: The other sides. Default all.

networking.NetworkPolicyPeer: The other side of allowed traffic: pods or a range of addresses.
  podSelector: Selects pods: in the namespaces of namespaceSelector, or in that of the policy without it.
  namespaceSelector: Selects namespaces. Without podSelector: all pods in them.
  ipBlock: A range of addresses. Excludes the selectors.

networking.NetworkPolicyPort: A port of allowed traffic.
  protocol: TCP, UDP or SCTP. Default TCP.
  port: Number of the port, or its name in the pod. Default all ports.
  endPort: Last port of a range that begins with port, which is then a number.

networking.NetworkPolicySpec: Which pods a policy is for, and what it allows.
  podSelector: Selects pods of the namespace; an empty selector selects all of them.
  ingress: Allowed traffic to the pods. Empty: none, if policyTypes has Ingress.
  egress: Allowed traffic from the pods. Empty: none, if policyTypes has Egress.
  policyTypes: Directions that the policy limits: Ingress, Egress. Default Ingress, and Egress when there are rules for it.

networking.ServiceBackendPort: A port of a service: its name or its number.
  name: Name of the port. Excludes number.
  number: Number of the port. Excludes name.

networking.IPAddress: An IP address that a service has. It is named after the address.
  spec: The object that has the address.

networking.IPAddressSpec: Who has an IP address.
  parentRef: The object that has the address. Cannot be changed.

networking.ParentReference: The object that an IP address belongs to.
  group: API group of the object; empty for the core group.
  resource: Plural name of its resource, such as services.
  namespace: Namespace of the object.
  name: Name of the object.

networking.ServiceCIDR: Ranges from which services get their cluster IPs.
  spec: The ranges.
  status: Whether the ranges are in use.

networking.ServiceCIDRSpec: Ranges of cluster IPs.
  cidrs: One range, or one of each IP family, such as 10.96.0.0/16. Cannot be changed.

networking.ServiceCIDRStatus: The state of ranges of cluster IPs.
  conditions: The conditions. Ready says whether services get addresses of the ranges.
`;
