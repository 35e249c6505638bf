import{a,b,c}from"./chunk-HCMEHJJB.js";import"./chunk-57WFRSBU.js";c();export{a as SetPIN,b as default};
