import{a,b,c,d}from"./chunk-CH5VKYWP.js";import"./chunk-HCMEHJJB.js";import"./chunk-E5HMKRRH.js";import"./chunk-57WFRSBU.js";d();export{c as Security,a as default,b as identity};
