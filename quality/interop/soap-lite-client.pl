# Makes calls with clients of SOAP::Lite, and shows what came of each; see soap-client.ts.
use strict;
use warnings;
use JSON::PP;
# The version comes first and on the class: a client that is set later sends the envelope of the other one.
use SOAP::Lite;

my $given = decode_json(do { local $/; <STDIN> });
$ENV{PERL_LWP_SSL_CA_FILE} = $given->{authority} if defined $given->{authority};
SOAP::Lite->soapversion('1.2') if $given->{binding} eq 'SOAP 1.2';

# What the WSDL says of each operation. A client that SOAP::Lite makes of it sends its parameters in no
# namespace, so that its users take address, action and namespace from there and set them.
sub read_wsdl {
    my $schema = SOAP::Schema->new->schema_url(shift);
    $schema->parse;
    my ($service) = values %{$schema->services};
    return $service;
}

sub open_client {
    my $described = shift;
    return SOAP::Lite->proxy("$described->{endpoint}")
        ->default_ns("$described->{namespace}")
        ->on_action(sub { qq("$described->{soapaction}") })
        ->on_fault(sub { });
}

# Left to itself SOAP::Lite sends text that is more than ASCII as base64. Booleans are text too.
sub part {
    my ($name, $value) = @_;
    return SOAP::Data->name($name => $value ? 'true' : 'false') if JSON::PP::is_bool($value);
    return SOAP::Data->name($name => $value)->type('string');
}

my (%services, $cookie, @outcomes);
for my $call (@{$given->{calls}}) {
    my %outcome = (mediaType => undef, result => undef, fault => undef, error => undef);
    eval {
        my $name = $call->{wsdl};
        my $service = $services{$name} ||=
            read_wsdl(($given->{wsdls}{$name} =~ m{^/} ? 'file:' : '') . $given->{wsdls}{$name});
        my $client = open_client($service->{$call->{operation}});
        my $http = $client->transport->proxy;
        $http->default_header(Cookie => $cookie) if $call->{sendsCookie};
        my $parts = $call->{parts};
        my $envelope = $client->call($call->{operation} => map { part($_, $parts->{$_}) } sort keys %$parts);
        my $response = $http->http_response;
        $outcome{mediaType} = $response->content_type;
        ($cookie) = split /;/, $response->header('Set-Cookie') if $response->header('Set-Cookie');
        if (!ref $envelope) {
            $outcome{error} = $client->transport->status;
        } elsif (my $fault = $envelope->fault) {
            # Its faultcode() and faultstring() know the words of SOAP 1.1 only.
            $outcome{fault} = {
                code => $fault->{faultcode} // $fault->{Code}{Value},
                text => $fault->{faultstring} // $fault->{Reason}{Text},
            };
        } else {
            $outcome{result} = $envelope->result;
        }
        1;
    } or $outcome{error} = "$@";
    push @outcomes, \%outcome;
}
print encode_json(\@outcomes);
