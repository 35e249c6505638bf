import{d as a,e as b,f as c}from"./chunk-N7WLSVBW.js";import"./chunk-LVMQUXMV.js";import"./chunk-U7JDAPKN.js";import"./chunk-N5A6VUJA.js";c();export{a as default,b as enters};
