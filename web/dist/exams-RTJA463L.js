import{d as a,e as b,f as c}from"./chunk-IX7VC2F6.js";import"./chunk-TZV6RJQ4.js";import"./chunk-TNPNXMCM.js";import"./chunk-7F5WRZ6E.js";c();export{a as default,b as enters};
