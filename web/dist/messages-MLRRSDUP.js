import{a,b,c}from"./chunk-5S3OO2YA.js";import"./chunk-DKZEZLDA.js";c();export{a as default,b as useLate};
