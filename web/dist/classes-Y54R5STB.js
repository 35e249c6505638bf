import{a,b,c}from"./chunk-NH74NZ2S.js";import"./chunk-RNDP5NNH.js";import"./chunk-7O5NC4JY.js";import"./chunk-7F5WRZ6E.js";c();export{a as ClassTabs,b as default};
