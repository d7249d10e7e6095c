# Looks up ZIP codes with Business::US::USPS::WebTools, whose host is changed and nothing else; see
# usps-clients.test.ts.
use strict;
use warnings;
use Business::US::USPS::WebTools::CityStateLookup;
use Mojo::URL;

my $address = Mojo::URL->new(shift @ARGV);
my $make_url = \&Business::US::USPS::WebTools::_make_url;
no warnings 'redefine';
*Business::US::USPS::WebTools::_make_url = sub {
    $make_url->(@_)->host($address->host)->port($address->port);
};
for my $code (@ARGV) {
    my $client = Business::US::USPS::WebTools::CityStateLookup->new({ UserID => 'any', Password => 'any' });
    my $found = $client->lookup_city_state($code);
    print $client->is_error ? $client->{error}{description} : "$found->{City}, $found->{State}", "\n";
}
