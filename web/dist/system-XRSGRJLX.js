import{a,b,c}from"./chunk-6YLKLMO4.js";import"./chunk-SHQQITRK.js";import"./chunk-DKZEZLDA.js";c();export{a as default,b as engine};
