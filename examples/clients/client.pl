use strict;
use warnings;
use SOAP::Lite;

my $base = 'http://127.0.0.1:8080/api';
my $location = SOAP::Lite->proxy("$base/LocationUIHelper.asmx")
    ->default_ns('http://tempuri.org/')
    ->on_action(sub { join '', @_ });
my $place = $location->call('PostalCodeToCityState', SOAP::Data->name(postalCode => '10001')->type('string'))->result;
print "$place->{City}, $place->{State}{StateAbbreviation}\n";

my $endpoint = SOAP::Lite->proxy("$base/WebFormsAjaxEndpoint.svc")
    ->default_ns('http://tempuri.org/')
    ->on_action(sub { "http://tempuri.org/IWebFormsAjaxEndpoint/$_[1]" });
my @credentials = (
    SOAP::Data->name(userName => 'guest')->type('string'),
    SOAP::Data->name(passWord => 'a guess')->type('string'),
);
my $result = $endpoint->call('LogInUser', @credentials)->result;
print "$result->{Success} $result->{ErrorMessage}\n";
